/**
 * Answers of authorization servers for the SDK, which repeats what they write in errors and on standard error: an error
 * page may quote the request, with its refresh token.
 */

import { oauthErrorCode } from "../access/oauth-error.js";
import { isObject } from "../contract/json.js";

/** Whether a body asks for tokens. */
export const asksForTokens = (body: unknown): boolean => body instanceof URLSearchParams;

/**
 * The answer to a request to an authorization server. One that refuses holds nothing but its error code.
 *
 * @param isOfTokens - a refusal may have a status of success, too
 */
export async function answerOfAuthority(response: Response, isOfTokens: boolean): Promise<Response> {
  const { ok, status, headers, url } = response;
  const isRefusal = status >= FIRST_ERROR;
  if (!isRefusal && !(ok && isOfTokens)) return response;
  const text = await response.text();
  const body = jsonIn(text);
  const answer = isRefusal || "error" in body ? refusal(response, body) : new Response(text, { status, headers });
  Object.defineProperty(answer, "url", { value: url });
  return answer;
}

const FIRST_ERROR = 400;

function refusal({ status, headers }: Response, body: Readonly<Record<string, unknown>>): Response {
  const code = oauthErrorCode(body["error"]);
  const description = `its authorization server answers ${code === undefined ? "" : `${code}, `}HTTP ${status}`;
  return Response.json(
    { error: code ?? "server_error", error_description: description },
    { status: Math.max(status, FIRST_ERROR), headers: kept(headers) },
  );
}

function jsonIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Headers that do not describe the body that was replaced. */
function kept(headers: Headers): Headers {
  const copy = new Headers(headers);
  for (const name of ["content-encoding", "content-length", "content-type"]) copy.delete(name);
  return copy;
}
