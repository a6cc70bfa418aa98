export function withMembers(page: string, schemaOf: (name: string) => object): string;
