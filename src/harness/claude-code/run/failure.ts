import type { FailureClass } from '../../../domain/task/task'

export interface Failure {
  failureClass: FailureClass
  pattern: RegExp
  reason: string
  /** What to do, added behind what the CLI said. */
  advice: string
  /** The text is all of stderr: only the line that tells is shown. */
  isLine: boolean
}

interface Rule {
  failureClass: FailureClass
  pattern: RegExp
  reason: string
  advice?: string
  /** Only for runs that were to continue a conversation. */
  onlyResume?: boolean
}

const LOGIN_ADVICE = ' Run `claude` on that machine and `/login`, or set ANTHROPIC_API_KEY for the worker; then retry.'
const MODEL_ADVICE = " Change the task's model and retry."
const FLAG_ADVICE = " Change the task or the worker's settings and retry."

/** Texts of results, API errors and stderr, as releases since 1.0 write them. The first that fits counts. */
const RULES: readonly Rule[] = [
  {
    failureClass: 'resume_refused',
    pattern: /No conversation found with session ID|No conversation found to continue|Failed to resume session/i,
    reason: 'The conversation could not be continued',
  },
  {
    failureClass: 'login',
    pattern:
      /Please run \/login|Not logged in|Invalid API key|Invalid auth token|Failed to authenticate|authentication_error|OAuth token (?:has expired|revoked|has been revoked)|OAuth authentication is currently not|Login expired|Invalid bearer token|API Error: 401\b|disabled API key authentication|belongs to a disabled organization|organization has been disabled|Could not resolve authentication method/i,
    reason: 'The agent is not logged in',
    advice: LOGIN_ADVICE,
  },
  {
    failureClass: 'login',
    pattern: /Credit balance is too low|out of credits|billing_error/i,
    reason: 'The account has no credit',
    advice: ' Add credit, or log in to another account; then retry.',
  },
  {
    failureClass: 'prompt_too_long',
    pattern:
      /Prompt is too long|prompt is too long|Request too large|request_too_large|exceeds? (?:the )?context (?:window|limit)|context window (?:is )?exceeded|input length and `max_tokens` exceed/i,
    reason: 'The conversation is too long for the model',
  },
  {
    failureClass: 'bad_flag',
    pattern: /There's an issue with the selected model|model_not_found|The model .{1,200} is not available/i,
    reason: "The model can't be used",
    advice: MODEL_ADVICE,
  },
  {
    failureClass: 'bad_flag',
    pattern:
      /error: unknown option|error: option '.*' argument .* is invalid|error: (?:missing|too many) argument|error: required option|Error: Invalid session ID|Settings file not found|Invalid MCP configuration|MCP config file not found|Error processing --|cannot be used with root\/sudo privileges|Invalid settings|must be a (?:number|positive)/i,
    reason: "The agent's CLI rejected its arguments",
    advice: FLAG_ADVICE,
  },
  {
    failureClass: 'overloaded',
    pattern:
      /overloaded|API Error: 5\d\d\b|Request rejected \(429\)|API Error: 429\b|rate_limit_error|Internal server error|at capacity|Connection (?:error|refused|dropped|reset)|Unable to connect to API|ECONNRE(?:SET|FUSED)|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|socket (?:connection was closed|hang up)|Request timed out|fetch failed|stream (?:idle|ended|closed) /i,
    reason: "The model's API did not respond",
  },
  {
    // A copied or half-written conversation that the API won't take.
    failureClass: 'resume_refused',
    pattern: /API Error: 400\b|tool use concurrency|invalid_request_error/i,
    reason: "The model's API rejected the conversation",
    onlyResume: true,
  },
]

/** What a text of the CLI says about why a run failed; `undefined` when it is none that is known. */
export function classify(text: string, isResume: boolean): Failure | undefined {
  const shown = text.slice(0, 20_000)
  for (const rule of RULES) {
    if (rule.onlyResume === true && !isResume) continue
    if (!rule.pattern.test(shown)) continue
    const { failureClass, pattern, reason } = rule
    return { failureClass, pattern, reason, advice: rule.advice ?? '', isLine: text.includes('\n') }
  }
  return undefined
}
