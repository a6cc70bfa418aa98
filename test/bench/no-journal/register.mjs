// Preloaded, it puts a journal that writes nothing in the place of the real one.
import { register } from "node:module";

register("./resolve.mjs", import.meta.url);
