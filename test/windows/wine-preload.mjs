// Loaded before the program. Wine refuses an option of sockets that Windows has, and a connection fails for it.
import { writeFileSync } from "node:fs";
import { Socket } from "node:net";

Socket.prototype.setKeepAlive = function setKeepAlive() {
  return this;
};
// Under Wine a process has another number than on Linux.
if (process.env.PID_FILE !== undefined) writeFileSync(process.env.PID_FILE, `${process.pid}`);
