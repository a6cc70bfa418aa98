/** Whether an event may reach the service twice, or perhaps not at all. */
export type DeliveryMode = "at-least-once" | "at-most-once";

/**
 * What a recorded intent survives: the end of the process, which costs a write, or a power cut, which costs a
 * write and a sync.
 */
export type Durability = "power" | "process";
