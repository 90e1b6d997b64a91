/** How one session goes on from another: in a copy, under another id, or translated for another agent CLI. */
export const SESSION_MARK_KINDS = ['fork', 'resume', 'translation'] as const
export type SessionMarkKind = (typeof SESSION_MARK_KINDS)[number]
export const isSessionMark = (kind: string): kind is SessionMarkKind =>
  (SESSION_MARK_KINDS as readonly string[]).includes(kind)
