export function mappingReference(schema: Record<string, unknown>): string;
