/** A journal that says yes to everything and keeps nothing: what an import would be without one. */
export async function openJournal() {
  return {
    intend: async () => true,
    attempted() {},
    settle() {},
    async close() {},
    async remove() {},
  };
}
