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
