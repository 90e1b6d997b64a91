/** Headers and limits that hold for several operations. */

import { MINUTE_MS } from '../../domain/time-units'

/** Carried by every answer: the server's version. A client tells its user when it differs from its own. */
export const VERSION_HEADER = 'Lodeline-Version'
/** The error's code where an error has no body (`/hooks/…`: any text there could enter an agent's prompt). */
export const ERROR_HEADER = 'Lodeline-Error'
/** A nonce of 22 characters, and the server's mark of it: see `util/token-proof.ts`. */
export const NONCE_HEADER = 'Lodeline-Nonce'
export const PROOF_HEADER = 'Lodeline-Proof'
/** What a client accepts in order to hear of progress while `import` or `rebuild` runs. */
export const PROGRESS_TYPE = 'application/x-ndjson'

/** Rows of a page when the request doesn't say, and the most that it may ask for. */
export const DEFAULT_PAGE_LIMIT = 50
export const MAX_PAGE_LIMIT = 1_000
/** Hits of a search. */
export const DEFAULT_SEARCH_LIMIT = 20
export const MAX_SEARCH_LIMIT = 200
/** The shortest beginning of a session id that may stand for the whole. */
export const MIN_ID_PREFIX = 4
/** Makes a create be done once: at most 200 printable characters, chosen by the caller. */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key'
/** On a snapshot: uuid of its last line, which is where a fork begins. */
export const LAST_UUID_HEADER = 'Lodeline-Last-Uuid'
/** For an answer with a part of a work copy: the commit that the copy is of. */
export const COMMIT_HEADER = 'x-lodeline-commit'
/** The longest that a poll may wait, in milliseconds. */
export const MAX_POLL_WAIT_MS = 30_000
/** The longest that a call may wait for messages, in milliseconds. */
export const MAX_TAKE_WAIT_MS = 10 * MINUTE_MS
/** Messages that one call takes or acknowledges. */
export const MAX_TAKEN = 200
/** Raw bytes of one request. */
export const MAX_BYTES_BODY = 4 * 1_024 * 1_024

/** Tasks whose costs one answer holds. */
export const MAX_TASK_COSTS = 200
/** Things that need a person, of one answer. */
export const MAX_NEEDS = 200
/** For running work, in one answer. */
export const MAX_WORK_LANES = 500
/** Sessions of a day's moment that one answer describes. */
export const MAX_DAY_SESSIONS = 100
/** Rows of a session that one answer holds. */
export const MAX_ROWS = 500
/** Rows of an answer where the request names no limit. */
export const DEFAULT_ROWS = 200
/** Entries of one level of the tree, of one answer. */
export const MAX_LEVEL = 500
/** Turns of a page where the request names no limit, and the most that it may ask for. */
export const DEFAULT_TURNS = 20
export const MAX_TURNS = 200
/** Levels of sub-agents that may be folded in. */
export const MAX_DEPTH = 10
/** Calls that changed files, with their patches: each costs the reading of a line or two. */
export const DEFAULT_CHANGES = 20
export const MAX_CHANGES = 50
/** Lanes of a timeline beside the main thread's. */
export const DEFAULT_LANES = 40
export const MAX_LANES = 1_000
/** Lines of an output that may be asked for. */
export const MAX_TAIL_LINES = 10_000
/** Sub-agents that are listed with their session, where not all are asked for. */
export const MAX_LISTED_AGENTS = 1_000
/** Rows of what became of background work. */
export const MAX_RECOVERED = 1_000
