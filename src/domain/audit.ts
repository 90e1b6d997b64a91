import type { Awaitable, Page, PageRequest } from './port'

/**
 * Acts that matter for security, each with what its line says. The list is closed: an act that is not here can't be recorded, and
 * `test/audit/acts.test.ts` fails until it covers each.
 */
export const AUDIT_ACTS = {
  'login.code': 'made a login code',
  'login.enter': 'logged a browser in',
  'login.refuse': 'refused a login',
  'login.leave': 'logged a browser out',
  'user.add': 'added a person',
  'user.edit': "changed a person's role or login",
  'user.remove': 'removed a person and ended all access of the person',
  'user.code': 'made a login code for a person',
  'agent.join': 'gave an agent a new token',
  'token.create': 'made a token',
  'token.revoke': 'revoked a token',
  'token.rotate': "replaced the server's own token",
  'worker.enroll': 'made a code for a worker',
  'worker.enter': 'gave a worker its token for its code',
  'worker.revoke': 'ended the access of a worker',
  'machine.remove': 'took a machine out of the fleet',
  'question.answer': 'answered a question for permission',
  'task.permission': 'set the permission mode of a task',
  'settings.change': 'put changed settings into effect',
  'session.export': 'exported a session',
  'share.create': 'made a link that shows a session',
  'share.revoke': 'revoked a link to a session',
  'backup.make': 'wrote a backup of everything',
  'backup.restore': 'restored everything from a backup',
  'secret.erase': 'took a secret out of the record',
  'secret.reveal': 'looked at the secrets of an event',
  'session.forget': 'forgot a session',
  'source.save': 'saved a source of external requests',
  'source.remove': 'removed a source of external requests',
  'channel.save': 'saved a notification channel',
  'channel.remove': 'removed a notification channel',
  'budget.save': 'saved a budget',
  'budget.allow': 'allowed more than a budget',
  'budget.remove': 'removed a budget',
} as const satisfies Record<string, string>

export type AuditAct = keyof typeof AUDIT_ACTS
export const AUDIT_ACT_NAMES = Object.keys(AUDIT_ACTS) as [AuditAct, ...AuditAct[]]

export const AUDIT_LIMITS = Object.freeze({
  /** Characters of a name, an address, or the ID of what the act was done to. */
  word: 300,
  /** Characters of one value of the details. */
  value: 2_000,
  /** Problems that one check of the log names. */
  problems: 100,
})

/** The caller, as the server knows it. */
export interface AuditActor {
  /**
   * `operator`, `viewer`, `lead`, `worker`, `attempt`, `system` (the program itself), or `nobody` (without a token); of a person the role:
   * `viewer`, `approver` or `admin`.
   */
  kind: string
  /** A person's name, or the ID of an agent, of an attempt, or of a token that was given out; `null` = the kind says it all. */
  name: string | null
  /** The network address that the request came from; `null` = this machine's own process. */
  peer: string | null
}

/** IDs, names and counts; never what a conversation says, since a forgotten session must not live on here. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | null>>

/** A line without what chains it to the others. */
export interface AuditEntry {
  act: AuditAct
  actor: AuditActor
  /** The ID or the name of what it was done to. */
  target: string | null
  detail: AuditDetail
}

/** A line, as the API gives it. */
export interface AuditLine extends AuditEntry {
  /** 1 for the first line, without gaps. */
  number: number
  /** ISO 8601. */
  at: string
  /** The hash of the line before; empty for the first line. */
  before: string
  /** SHA-256 over the line and `before`, in hexadecimal digits. */
  hash: string
}

/** A row of `audit_lines`. */
export interface AuditRow {
  number: number
  /** Milliseconds since the epoch. */
  at: number
  act: AuditAct
  actorKind: string
  actorName: string | null
  peer: string | null
  target: string | null
  /** JSON text of `AuditDetail`: the hash is over this text. */
  detail: string
  before: string
  hash: string
}

/** The last line's number and hash; 0 and empty before the first line. */
export type AuditHead = Pick<AuditRow, 'number' | 'hash'>

/** Lines are added and never changed. */
export interface AuditTx {
  /** The last line. Another unit that asks waits for this one's end. */
  head(): Awaitable<AuditHead>
  append(row: AuditRow): Awaitable<void>
}

export interface AuditFilter {
  act?: AuditAct | undefined
  /** Only lines of this kind of actor, or of the one with this name. */
  who?: string | undefined
  /** Only lines after the one with this number. */
  after?: number | undefined
  /** Only lines of this time and later, in milliseconds. */
  since?: number | undefined
}

export interface AuditReads {
  /** Newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditLine>>
  /** Rows after this number, oldest first. */
  rowsAfter(number: number, limit: number): Promise<AuditRow[]>
  head(): Promise<AuditHead>
}

/** What a check of the chain found. */
export interface AuditCheck {
  isWhole: boolean
  /** Lines that are there. */
  lines: number
  head: AuditHead
  /** Sentences, each about one line or gap; at most `AUDIT_LIMITS.problems`. */
  problems: string[]
}
