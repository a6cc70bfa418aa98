/** Whether an event may reach the service twice, or perhaps not at all. */
export type DeliveryMode = "at-least-once" | "at-most-once";

/**
 * What an intent survives before its attempt may leave: the end of the process, which costs a write,
 * or the end of the power, which costs a sync as well.
 */
export type Durability = "power" | "process";
