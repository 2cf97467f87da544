/** The page of one op, with a form to try it. */

import { useCallback, useContext, useEffect, useState } from "preact/hooks";
import type { HelpArgument } from "../../../contract/help.js";
import { learnedFrom } from "../../../contract/known-result.js";
import type { Example, JsonObject } from "../../../contract/registry.js";
import { readableSignature } from "../../../contract/signature-text.js";
import { messageOf } from "../../../contract/thrown.js";
import type { SeenTool } from "../visible-registry.js";
import { api, type OpDocument } from "./api.js";
import { CodeFrame, CopyButton, JsonFrame } from "./code.js";
import { mayConfigure } from "./config-fields.js";
import { FeatureScreens } from "./feature-screen.js";
import type { EditorLanguage } from "./languages.js";
import type { CallerIndex } from "./listed-ops.js";
import { Lines, Markdown } from "./markdown.js";
import { Breakable, KindMark } from "./names.js";
import { callsAddress, configAddress, opAddress, runAddress } from "./route.js";
import { FailureNotice, Loading, PagePart } from "./text.js";
import { TryIt } from "./try-it.js";

/** The page. What the index does not hold is asked for when it opens. */
export function OpPage({ op, listed }: { readonly op: string; readonly listed: CallerIndex }) {
  const [tool, setTool] = useState<SeenTool>();
  const [document, setDocument] = useState<OpDocument>();
  const [fault, setFault] = useState("");
  const [given, setGiven] = useState<JsonObject>();
  useEffect(() => {
    const failed = (error: unknown): void => setFault(messageOf(error));
    api.op(op).then(setTool, failed);
    api.help(op).then((help) => help.type === "op" && setDocument(help), failed);
  }, [op]);
  const take = useCallback((args: JsonObject) => setGiven({ ...args }), []);
  return (
    <article>
      <div class="titled">
        <h1 class="op-name">
          <Breakable text={op} />
        </h1>
        <CopyButton text={op} what="the op's path" />
      </div>
      {tool ? (
        <Facts tool={tool} mayConfigure={mayConfigure(listed.caller)} />
      ) : (
        <p class="lead">{listed.ops.get(op)?.summary}</p>
      )}
      {fault !== "" && <FailureNotice text={fault} />}
      {!tool && fault === "" && <Loading />}
      {tool && <TryIt tool={tool} given={given} allowWrite={listed.caller.allow_write} />}
      {tool && document && (
        <Documentation document={document} tool={tool} language={listed.languages[0]} onExample={take} />
      )}
    </article>
  );
}

function Facts({ tool, mayConfigure }: { readonly tool: SeenTool; readonly mayConfigure: boolean }) {
  const screens = useContext(FeatureScreens);
  return (
    <>
      <p class="facts">
        <KindMark kind={tool.kind} />
        {tool.annotations.destructiveHint && tool.kind === "write" && <span class="kind danger">destructive</span>}
        <span>access {tool.access}</span>
        <span>{tool.target === "global" ? "whole installation" : "one project"}</span>
        <span>
          tool <code>{tool.tool_name}</code> <CopyButton text={tool.tool_name} what="the tool's name" />
        </span>
        {screens.map(({ path, ofOp }) => (
          <a key={path} href={ofOp.address(tool.op)}>
            {ofOp.text}
          </a>
        ))}
        <a href={callsAddress({ op: tool.op })}>recent calls</a>
        {mayConfigure && <a href={configAddress(tool.op)}>configure</a>}
      </p>
      <p class="lead">{tool.summary}</p>
    </>
  );
}

interface DocumentationProps {
  readonly document: OpDocument;
  readonly tool: SeenTool;
  /** Of the programs that examples open. */
  readonly language: EditorLanguage;
  readonly onExample: (args: JsonObject) => void;
}

function Documentation({ document, tool, language, onExample }: DocumentationProps) {
  const { description = "", args = [], examples = [], policy = {} } = document;
  const hasPolicy = [policy.do, policy.dont, policy.edge_cases].some((lines) => lines && lines.length > 0);
  const title = (name: string, lines: readonly string[] | undefined) => lines && lines.length > 0 && <h3>{name}</h3>;
  return (
    <>
      {description !== "" && (
        <PagePart title="Description">
          <Markdown text={description} />
        </PagePart>
      )}
      <PagePart title="Signatures">
        <CodeFrame text={readableSignature(tool)} label="Python signature" language="python" wraps />
        <CodeFrame text={tool.signature.typescript} label="TypeScript signature" language="typescript" wraps />
      </PagePart>
      {args.length > 0 && (
        <PagePart title="Arguments">
          <Arguments args={args} />
          <Lines lines={document.constraints} />
        </PagePart>
      )}
      {hasPolicy && (
        <PagePart title="Policy">
          {title("Do", policy.do)}
          <Lines lines={policy.do} />
          {title("Do not", policy.dont)}
          <Lines lines={policy.dont} />
          {title("Edge cases", policy.edge_cases)}
          <Lines lines={policy.edge_cases} />
        </PagePart>
      )}
      {document.notes && document.notes.length > 0 && (
        <PagePart title="Notes">
          <Lines lines={document.notes} />
        </PagePart>
      )}
      {examples.length > 0 && (
        <PagePart title="Examples">
          {examples.map((example, at) => (
            <ExampleCall key={at} example={example} tool={tool} language={language} number={at + 1} onUse={onExample} />
          ))}
        </PagePart>
      )}
      <PagePart title="Result">
        {document.returns && <CodeFrame text={document.returns} label="Type of the result" wraps />}
        {tool.result_schema && <Schema title="Schema of the result" value={tool.result_schema} />}
        {tool.learned_result && (
          <Schema
            title={`Schema of the result, ${learnedFrom(tool.learned_result)}`}
            value={tool.learned_result.schema}
          />
        )}
        <Schema title="Schema of the arguments" value={tool.parameters_schema} />
      </PagePart>
      {document.errors && document.errors.length > 0 && (
        <PagePart title="Errors">
          <Lines lines={document.errors} />
        </PagePart>
      )}
      <Related document={document} tool={tool} />
    </>
  );
}

const Arguments = ({ args }: { readonly args: readonly HelpArgument[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard.
  <section class="scroll arguments" tabIndex={0} aria-label="Arguments">
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Default</th>
          <th scope="col">Description</th>
        </tr>
      </thead>
      <tbody>
        {args.map(({ name, type, required, default: fallback, description = "" }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
              {required && <span class="needed"> required</span>}
            </th>
            <td>
              <code>{type}</code>
            </td>
            <td data-name="default">{fallback !== undefined && <code>{JSON.stringify(fallback)}</code>}</td>
            <td>
              <Markdown text={description} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

interface ExampleProps {
  readonly example: Example;
  readonly tool: SeenTool;
  readonly language: EditorLanguage;
  readonly number: number;
  readonly onUse: (args: JsonObject) => void;
}

const ExampleCall = ({ example, tool, language, number, onUse }: ExampleProps) => (
  <div class="example">
    {example.title && <p>{example.title}</p>}
    <JsonFrame value={{ op: example.op, args: example.args }} label={`Example ${number}`} />
    <p class="buttons">
      <button type="button" onClick={() => onUse(example.args)}>
        Fill in the form
      </button>
      <a href={runAddress(language.call(example.op, example.args, example.op === tool.op ? tool.parameters : []))}>
        Open in Run
      </a>
    </p>
  </div>
);

const Schema = ({ title, value }: { readonly title: string; readonly value: unknown }) => (
  <details>
    <summary>{title}</summary>
    <JsonFrame value={value} label={title} />
  </details>
);

const Related = ({ document: { see_also = [] }, tool }: Pick<DocumentationProps, "document" | "tool">) =>
  see_also.length + tool.aliases.length === 0 ? null : (
    <PagePart title="See also">
      <ul>
        {see_also.map((op) => (
          <li key={op}>
            <a href={opAddress(op)}>{op}</a>
          </li>
        ))}
        {tool.aliases.map((name) => (
          <li key={name}>
            also called as <code>{name}</code>
          </li>
        ))}
      </ul>
    </PagePart>
  );
