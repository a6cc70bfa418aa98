import { isMap, isScalar, isSeq } from "yaml";

/**
 * YAML makes a number of an unquoted `0123` and a boolean of `true`. Where a mapping names columns
 * and cells, which are text, and in `empty: null`, what the file says is what is meant; this puts
 * it back.
 */
export function keepAsWritten(file: unknown): void {
  textItems(at(file, "order_by"));
  text(at(file, "empty"));
  block(file);
  const events = at(file, "events");
  if (isSeq(events)) events.items.forEach(block);
}

function block(node: unknown): void {
  const condition = at(node, "only_when");
  text(at(condition, "column"));
  textItems(at(condition, "in"));
  textItems(at(condition, "not_in"));
  eventName(at(node, "event"));
  const members = at(node, "members");
  if (!isMap(members)) return;
  for (const { key, value } of members.items) {
    text(key);
    cellReader(value);
  }
}

function eventName(node: unknown): void {
  cellReader(node);
  text(at(node, "value"));
  text(at(node, "default"));
  const values = at(node, "values");
  if (isMap(values)) for (const { value } of values.items) text(value);
}

function cellReader(node: unknown): void {
  text(node);
  text(at(node, "column"));
  text(at(node, "template"));
  text(at(node, "empty"));
  const values = at(node, "values");
  if (isMap(values)) for (const { key } of values.items) text(key);
}

function textItems(node: unknown): void {
  if (isSeq(node)) node.items.forEach(text);
}

function text(node: unknown): void {
  if (isScalar(node) && typeof node.value !== "string" && node.source !== undefined) {
    node.value = node.source;
  }
}

function at(node: unknown, key: string): unknown {
  return isMap(node) ? node.get(key, true) : undefined;
}
