// Bare Monty: the smallest program that runs Python with packs in a child. Answers come by structured clone and runs
// take turns at their calls; there are no limits, checks, result captures or routes.
import { Monty, MontyComplete } from "@pydantic/monty";

const paused = new Map();

function settle(id, at) {
  if (at instanceof MontyComplete) {
    process.send({ id, output: at.output });
    return;
  }
  paused.set(id, at);
  const [pack, ...args] = at.args;
  process.send({ id, call: `${pack.name}.${at.functionName}`, args, kwargs: at.kwargs });
}

function packOf(name, i) {
  return { __monty_type__: "Dataclass", name, typeId: BigInt(i + 1), fieldNames: [], fields: {}, frozen: true };
}

process.on("message", ({ id, code, packs, value }) => {
  if (code === undefined) {
    const at = paused.get(id);
    paused.delete(id);
    settle(id, at.resume({ returnValue: value }));
    return;
  }
  const inputs = Object.fromEntries(packs.map((name, i) => [name, packOf(name, i)]));
  settle(id, new Monty(code, { scriptName: "run.py", inputs: packs }).start(packs.length > 0 ? { inputs } : {}));
});
process.on("disconnect", () => process.exit(0));
process.send({ ready: true });
