/** A journal that says yes to everything and keeps nothing: what an import would be without one. */
export async function openJournal() {
  return {
    intend() {},
    attempted() {},
    settle() {},
    waitUntil() {},
    write: async () => true,
    async ownership() {
      return "ours";
    },
    async close() {},
    async remove() {},
  };
}
