export function withReference(readme: string, schema: Record<string, unknown>): string;
