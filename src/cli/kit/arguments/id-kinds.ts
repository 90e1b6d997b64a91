/** Things whose IDs or names shells complete. `../../commands/completion/complete.ts` lists them. */
export const ID_KINDS = [
  'agent',
  'budget',
  'channel',
  'epic',
  'issue',
  'machine',
  'message',
  'need',
  'question',
  'request',
  'session',
  'share',
  'source',
  'subagent',
  'task',
  'todo',
  'token',
  'user',
  'worker',
] as const
export type IdKind = (typeof ID_KINDS)[number]

export const isIdKind = (word: unknown): word is IdKind => ID_KINDS.some((kind) => kind === word)

/** How IDs of some kinds look, or at least their beginnings. */
export const ID_FORMS = {
  session: /^[0-9a-f]{4,8}(-[0-9a-f-]{0,27})?$/i,
  task: /^t-[0-9a-z]+$/,
  issue: /^(?![tam]-)[a-z][a-z0-9_]*-[0-9a-z.]+$/i,
} satisfies Partial<Record<IdKind, RegExp>>
