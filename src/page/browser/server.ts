import {
  type AnswerPart,
  addresses,
  type Description,
  type Question,
  type SaveAnswer,
  type SaveRequest,
} from "../contract.ts";

/** What the page asks its server. */

export async function describe(): Promise<Description> {
  const response = await fetch(addresses.description);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Description;
}

/** Tells each part of an answer as it comes. */
export async function ask(
  question: Question,
  signal: AbortSignal,
  tell: (part: AnswerPart) => void,
): Promise<void> {
  try {
    const response = await post(addresses.answer, question, signal);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (!signal.aborted) tell(JSON.parse(line) as AnswerPart);
    }
  } catch {
    if (!signal.aborted) tell({ kind: "refused", message: gone });
  }
}

export async function save(request: SaveRequest): Promise<SaveAnswer> {
  try {
    return (await (await post(addresses.save, request)).json()) as SaveAnswer;
  } catch {
    return { kind: "failed", message: gone };
  }
}

/** What was asked for has ended whether or not there is an answer. */
export const end = () => post(addresses.end, {}).catch(() => undefined);

const gone =
  "eventload map has ended: start it again in the terminal. What is not saved is still here.";

async function post(address: string, body: object, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response;
}
