// A server over HTTP that answers pings, and computes for as many ms of CPU time as the path says: /300.
import { createServer } from "node:http";

const used = () => Object.values(process.cpuUsage()).reduce((sum, us) => sum + us / 1000, 0);
const server = createServer((request, response) => {
  const end = used() + Number(request.url?.slice(1) || 0);
  while (used() < end);
  response.end('{"jsonrpc":"2.0","id":1,"result":{}}');
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
process.stdin.resume().once("end", () => process.exit(0));
