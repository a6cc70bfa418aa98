export function textColours(): { text: string; colour: string; behind: string }[];
