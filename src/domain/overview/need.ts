/**
 * Why a person is needed, the most urgent first. Nothing stores a need: each is worked out from what the record, the queue and the inbox hold.
 * A session that was imported (nobody saw it at work) needs nobody.
 *
 * - `question`  a run asked whether it may make a call; a person can answer here
 * - `waiting`   a session in a terminal asked for something; a person answers there
 * - `failure`   a task failed, and nobody took it up again
 * - `budget`    a budget is used up; tasks may wait for more
 * - `request`   came from outside, and nobody looked at it, or a task that a lead made of it waits for a person's consent
 * - `stuck`     a session works and its process lives, but it has been silent for long; nothing runs in its background
 * - `lost`      a session or an attempt gives no sign of life in the middle of its work
 * - `untaken`   tasks wait, and no agent that is online may take them
 * - `unread`    a sub-agent's result that its session never read, and won't by itself
 * - `message`   a message to a session whose person has not received it
 */
export const NEED_KINDS = [
  'question',
  'waiting',
  'failure',
  'budget',
  'request',
  'stuck',
  'lost',
  'untaken',
  'unread',
  'message',
] as const
export type NeedKind = (typeof NEED_KINDS)[number]

/** How what is over ended. */
export const FINISHED_OUTCOMES = ['completed', 'failed', 'cancelled', 'ended', 'lost'] as const
export type FinishedOutcome = (typeof FINISHED_OUTCOMES)[number]
