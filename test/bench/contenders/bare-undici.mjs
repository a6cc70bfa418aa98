// The HTTP client alone: URL, number of requests and of connections; the same body every time.
import { Pool } from "undici";

const [url, requests, connections] = process.argv.slice(2);
const body = JSON.stringify({
  event: "contact.imported",
  id: "123456",
  first_name: "Anna123",
  last_name: "Müller, née 456",
  email: "anna.123456@example.com",
  phone: "+49 30 1123456",
  address: { city: "Berlin", zip: "23456" },
  signed_up_on: "2024-05-16",
});
const headers = { authorization: "Bearer bench", "content-type": "application/json" };
const pool = new Pool(url, { connections: Number(connections), pipelining: 1 });
let left = Number(requests);
let accepted = 0;

await Promise.all(Array.from({ length: Number(connections) }, () => new Promise(sendAll)));
await pool.close();
console.log(accepted);

function sendAll(done, failed) {
  let status = 0;
  const next = () => {
    if (left-- <= 0) return done();
    pool.dispatch({ path: "/v1/contacts/events", method: "POST", headers, body }, handler);
  };
  const handler = {
    onRequestStart() {},
    onResponseStart(_, statusCode) {
      status = statusCode;
    },
    onResponseData() {},
    onResponseEnd() {
      if (status === 202) accepted++;
      next();
    },
    onResponseError: (_, error) => failed(error),
  };
  next();
}
