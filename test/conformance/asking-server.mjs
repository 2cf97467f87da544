// An upstream MCP server for the conformance suite that speaks only the newer protocol; its tools ask the client.
// The state that it adds to a call is not sealed: the server that passes it on does that.
import { acceptedContent, inputRequired, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const text = (value) => ({ content: [{ type: "text", text: value }] });
const object = (properties) => ({ type: "object", properties, required: Object.keys(properties) });
const string = { type: "string" };

const elicit = (message, properties) => inputRequired.elicit({ message, requestedSchema: object(properties) });
const name = (message = "What is your name?") => elicit(message, { name: string });
const sample = (question, maxTokens = 100) => {
  const messages = [{ role: "user", content: { type: "text", text: question } }];
  return inputRequired.createMessage({ messages, maxTokens });
};

/** A tool that asks once: done when every question has an answer, and the note is the one that it gave. */
const once = (inputRequests, done, requestState) => (given, state) => {
  const isAnswered = Object.keys(inputRequests).every((key) => given[key]) && state === requestState;
  return isAnswered ? text(done(given)) : inputRequired({ inputRequests, ...(requestState ? { requestState } : {}) });
};
const confirm = { confirm: elicit("Please confirm", { ok: { type: "boolean" } }) };
const everything = {
  user_name: name(),
  greeting: sample("Generate a greeting", 50),
  client_roots: inputRequired.listRoots(),
};

function inTwoSteps(given, state) {
  const { name: who } = acceptedContent(given, "step1") ?? {};
  const { color } = acceptedContent(given, "step2") ?? {};
  if (state?.startsWith("step2 ") && color) return text(`${state.slice("step2 ".length)} likes ${color}`);
  if (state !== "step1" || !who)
    return inputRequired({ inputRequests: { step1: name("Step 1: What is your name?") }, requestState: "step1" });
  const step2 = elicit("Step 2: What is your favorite color?", { color: string });
  return inputRequired({ inputRequests: { step2 }, requestState: `step2 ${who}` });
}

/** Asks for no more than the client can answer. */
function asDeclared(given, _, { [CAPABILITIES]: can = {} }) {
  const asks = {
    ...(can.elicitation ? { who: name() } : {}),
    ...(can.sampling ? { capital: sample("What is the capital of France?") } : {}),
  };
  return once(asks, () => "done")(given);
}

/** By name: given the answers, the note, and what the request declares. */
const TOOLS = {
  test_input_required_result_elicitation: (given) => {
    const { name: who } = acceptedContent(given, "user_name") ?? {};
    return who ? text(`Hello, ${who}!`) : inputRequired({ inputRequests: { user_name: name() } });
  },
  test_input_required_result_sampling: once(
    { capital_question: sample("What is the capital of France?") },
    ({ capital_question: { content } }) => content.text ?? content[0].text,
  ),
  test_input_required_result_list_roots: once({ client_roots: inputRequired.listRoots() }, ({ client_roots }) =>
    client_roots.roots.map(({ uri }) => uri).join(" "),
  ),
  test_input_required_result_request_state: once(confirm, () => "state-ok", "asked-once"),
  test_input_required_result_multiple_inputs: once(everything, () => "all answered", "asked-three"),
  test_input_required_result_multi_round: inTwoSteps,
  test_input_required_result_tampered_state: once(confirm, () => "done", "not sealed"),
  test_input_required_result_capabilities: asDeclared,
  test_missing_capability: once({ capital: sample("What is the capital of France?") }, () => "done"),
  test_streaming_elicitation: once({ user_name: name() }, () => "done"),
};

function build() {
  const server = new Server({ name: "asking", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: Object.keys(TOOLS).map((tool) => ({
      name: tool,
      description: "Asks the client before it answers.",
      inputSchema: { type: "object", properties: {} },
      annotations: { readOnlyHint: true },
    })),
  }));
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
    const answer = TOOLS[params.name];
    if (!answer) throw new Error(`no tool ${params.name}`);
    return answer(mcpReq.inputResponses ?? {}, mcpReq.requestState(), mcpReq.envelope);
  });
  return server;
}

serveStdio(build, { legacy: "reject" });
