import type { Moment } from '../replay/replay-moment'

/** What an agent did in a part of its time, as a person calls it. */
export const SEGMENT_WORDS: Readonly<Record<Moment['kind'], string>> = {
  working: 'working',
  tool: 'in a tool',
  waiting: 'waiting for a person',
  idle: 'idle',
}
