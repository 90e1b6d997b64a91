import type { RunOutcome } from '../../domain/harness/harness-run'
import type { FailureClass } from '../../domain/task/task'
import { clip } from '../json-lines/text'
import { isUsageLimit, resetAtIn } from './usage-limit'

/** What a person reads of the words of a CLI, in characters: a reason is one sentence. */
const SAID_LIMIT = 500
/** Characters of a text that are looked at. */
const LOOKED_LIMIT = 20_000

/** Failures that every agent CLI passes on from the API of its model. */
export type ModelFailure = keyof typeof REASONS

/** Class, sentence and hint of each. `null` = the CLI's own hint for its login. */
const REASONS = {
  usage_limit: { failureClass: 'usage_limit', reason: 'A usage limit of the account was reached', hint: '' },
  // It ends as a limit does, and the run would wait for it.
  long_wait: { failureClass: 'usage_limit', reason: "The model's API asks for a long wait", hint: '' },
  refused: {
    failureClass: 'agent',
    reason: 'The provider of the model refused the work',
    hint: 'Change what the task asks for, or its model; then retry.',
  },
  login: { failureClass: 'login', reason: 'The provider of the model refused the login', hint: null },
  too_long: { failureClass: 'prompt_too_long', reason: 'The conversation is too long for the model', hint: '' },
  bad_model: {
    failureClass: 'bad_flag',
    reason: "The model can't be used",
    hint: "Change the task's model and retry.",
  },
  busy: { failureClass: 'overloaded', reason: "The model's API takes no more requests for now", hint: '' },
  failed: { failureClass: 'overloaded', reason: "The model's API failed", hint: '' },
  broken: { failureClass: 'overloaded', reason: "The model's API gave no whole answer", hint: '' },
  away: {
    failureClass: 'overloaded',
    reason: "The model's API was not reached",
    hint: "Look at the worker's network and at the address of the provider.",
  },
  bad_conversation: {
    failureClass: 'resume_refused',
    reason: "The model's API rejected the conversation",
    hint: '',
  },
  no_variable: {
    failureClass: 'bad_flag',
    reason: 'The run lacks a variable of the environment',
    hint: 'Set it for the worker and name it in worker.passEnvironment; then retry.',
  },
  bad_request: { failureClass: 'bad_flag', reason: "The model's API refused the request", hint: '' },
} as const satisfies Record<string, { failureClass: FailureClass; reason: string; hint: string | null }>

/** By the words of providers, where no status tells more. The first that fits counts. */
const WORDS: readonly (readonly [ModelFailure, RegExp])[] = [
  ['no_variable', /missing environment variable/i],
  [
    'refused',
    /content[ _-]?filter|content (?:management )?policy|responsible_?ai|safety (?:system|policy)|(?:usage|content) policies/i,
  ],
  [
    'too_long',
    /context_length_exceeded|ContextOverflow|maximum context|context (?:window|length)|(?:prompt|input) is too long|too many tokens|request_too_large/i,
  ],
  [
    'bad_model',
    /model_not_found|ModelNotFound|model .{0,200}(?:not (?:found|available|supported)|does not exist)|no models? (?:available|selected)/i,
  ],
  [
    'login',
    /invalid_api_key|incorrect api key|invalid api key|no api key|api key is missing|authentication_error|ProviderAuthError|auth_required|unauthori[sz]ed|not logged in|OAuth token|token (?:has )?expired/i,
  ],
  ['busy', /rate.?limit|too many requests/i],
  ['failed', /overloaded|internal server error|service unavailable|bad gateway/i],
  [
    'broken',
    /malformed|were empty|without (?:sending any chunks|finish_reason)|stream (?:ended|closed|disconnected)|invalid JSON|JSON parse|AI_(?:JSONParse|TypeValidation|InvalidResponse)/i,
  ],
  [
    'away',
    /connection|(?:unable|could not|cannot) (?:to )?connect|ECONN|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|socket|fetch failed|timed? ?out|network|terminated|transport error|error sending request/i,
  ],
]

/** By the status of the answer. */
const STATUS: Readonly<Record<number, ModelFailure>> = {
  401: 'login',
  402: 'usage_limit',
  403: 'login',
  404: 'bad_model',
  408: 'away',
  413: 'too_long',
  429: 'busy',
}

export interface FailureContext {
  /** Whether the run was to continue a conversation. */
  isResume: boolean
  /** Milliseconds. */
  now: number
  /** What to do about a login, one sentence. */
  loginHint: string
}

/**
 * What a failure means that a CLI passes on from its model.
 *
 * @param said  its words, with the status of the answer or without
 * @param status  of the answer, where the CLI tells it beside the words
 * @returns `null` = the words tell nothing of a model
 */
export function modelFailure(said: string, context: FailureContext, status = statusIn(said)): RunOutcome | null {
  const kind = kindOf(said.slice(0, LOOKED_LIMIT), status, context.isResume)
  return kind === null ? null : failureOf(kind, said, context)
}

/** A failure of a kind that the CLI itself names. */
export function failureOf(kind: ModelFailure, said: string, { now, loginHint }: FailureContext): RunOutcome {
  const { failureClass, reason, hint } = REASONS[kind]
  const resetAt = failureClass === 'usage_limit' ? resetAtIn(said.slice(0, LOOKED_LIMIT), now) : null
  const end = resetAt === null ? null : new Date(resetAt).toISOString()
  const words = spoken(said)
  const told = `${reason}${words === '' ? '' : `: ${words}`}${end === null ? '' : `; it ends at ${end}`}.`
  const advice = hint ?? loginHint
  return { isOk: false, failureClass, reason: advice === '' ? told : `${told} ${advice}`, resetAt: end }
}

function kindOf(said: string, status: number | null, isResume: boolean): ModelFailure | null {
  if (isUsageLimit(said)) return 'usage_limit'
  const worded = WORDS.find(([, pattern]) => pattern.test(said))?.[0]
  if (status === null) return worded ?? null
  // A request that is refused says why; of other answers the status tells more than words do.
  if (worded === 'refused' || worded === 'too_long' || worded === 'bad_model') return worded
  const known = STATUS[status]
  if (known !== undefined) return known
  if (status >= 500) return 'failed'
  // If the conversation goes on, it may be about what was said before.
  return status === 400 && isResume ? 'bad_conversation' : 'bad_request'
}

/** The status that stands first, or behind a word for it: `401 …`, `(HTTP 404)`, `unexpected status 402`, `Last error: 429 …`. */
export function statusIn(said: string): number | null {
  const [, first, named] = /^\s*([45]\d\d)\b|(?:\bHTTP|\bstatus(?: code)?|\berror):? ([45]\d\d)\b/i.exec(said) ?? []
  const found = first ?? named
  return found === undefined ? null : Number(found)
}

/** What was said, for a person: one line, of an answer in JSON its message alone. */
export function spoken(said: string): string {
  const line = said
    .replace(/\s+/g, ' ')
    .replace(/^Error: /, '')
    .trim()
  const at = line.indexOf('{')
  const head = (at === -1 ? line : line.slice(0, at)).replace(/[:\s]+$/, '')
  const message = at === -1 ? undefined : messageIn(line.slice(at))
  const text = message === undefined && at !== -1 && head === '' ? line : told(head, message)
  return (text.length > SAID_LIMIT ? `${clip(text, SAID_LIMIT - 1)}…` : text).replace(/[.\s]+$/, '')
}

const told = (head: string, message: string | undefined): string =>
  message === undefined || head.includes(message) ? head : head === '' ? message : `${head}: ${message}`

function messageIn(json: string): string | undefined {
  const found = /"message":\s*"((?:[^"\\]|\\.){1,2000})"/.exec(json)?.[1]
  return found?.replace(/\\(["\\/])/g, '$1').trim()
}
