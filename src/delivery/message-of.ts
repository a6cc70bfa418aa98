/** Several addresses of one host that all fail come as one error without a message of its own. */
export function messageOf(error: Error): string {
  if (error.message !== "") return error.message;
  const errors = error instanceof AggregateError ? error.errors : [];
  return errors.map(String).join("; ") || error.name;
}
