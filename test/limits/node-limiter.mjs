// A service behind a limiter from npm, as its README shows it. It prints a line for each answer.

import { createRequire } from "node:module";

/** The folder in which the packages are installed, which limiter with what, how long an event takes. */
const [folder, name, settings, latencyMs, port] = process.argv.slice(2);
const require = createRequire(`${folder}/`);
const express = require("express");

const limiters = {
  "express-rate-limit": (options) => require("express-rate-limit").rateLimit(options),
  "rate-limiter-flexible"(options) {
    const { RateLimiterMemory } = require("rate-limiter-flexible");
    const limiter = new RateLimiterMemory(options);
    return (request, response, next) =>
      limiter.consume(request.ip).then(
        () => next(),
        ({ msBeforeNext }) => {
          response.set("Retry-After", msBeforeNext / 1000);
          response.status(429).send("Too Many Requests");
        },
      );
  },
};

const app = express();
app.use((_, response, next) => {
  response.on("finish", () => console.log(`${Date.now() / 1000} ${response.statusCode}`));
  next();
});
app.use(limiters[name](JSON.parse(settings)));
app.use((request, response) => {
  request.resume();
  setTimeout(() => response.status(202).end(), Number(latencyMs));
});
app.listen(Number(port), "127.0.0.1");
