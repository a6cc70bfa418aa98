export class Fifo<Item> {
  #items: (Item | undefined)[] = [];
  #head = 0;
  readonly #onPush: () => void;

  /** @param onPush is called when there is an item more */
  constructor(onPush = () => {}) {
    this.#onPush = onPush;
  }

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#onPush();
  }

  /** Puts an item back in front of all others. */
  putBack(item: Item): void {
    if (this.#head > 0) this.#items[--this.#head] = item;
    else this.#items.unshift(item);
    this.#onPush();
  }

  shift(): Item | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head++] = undefined; // so that a settled event can be collected
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
