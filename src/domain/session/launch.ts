import type { EndStatus } from '../record/observation'
import type { SessionSignals } from './session-store'

/** A launch that is about to be made: what the model calls the tool with. */
export interface LaunchCall {
  /** The conversation; what its record came from (`forkedFrom`) is looked at too. */
  session: string
  /** Conversations that this one goes on from, as the caller knows for certain. */
  origins: readonly string[]
  type: string
  prompt: string
  /** When the CLI's process began, in milliseconds: what was launched earlier and has no end went with another one. `null` = not known. */
  processStartedAt: number | null
}

/** An agent's run whose result its parent has not consumed, with what it was asked. Times in milliseconds. */
export interface UnreadLaunch {
  subagentId: string
  sessionId: string
  description: string | null
  /** As it is kept: at most 20,000 characters. */
  prompt: string
  outputFile: string | null
  isBackground: boolean
  startedAt: number | null
  endedAt: number | null
  /** `null` = no end seen. */
  status: EndStatus | null
  /** What says so. */
  evidence: string
  /** When its own transcript ended with its last words; counts where its process is gone and no end was seen. */
  lastWordsAt: number | null
  signals: SessionSignals
}

/** Reads for the guard of launches. The agent waits for them. */
export interface LaunchReads {
  /**
   * Unread runs of agents of this type in the conversation and those it goes on from, newest first: all that were asked the very same,
   * and the newest of the others.
   */
  unread(call: Pick<LaunchCall, 'session' | 'origins' | 'type' | 'prompt'>): Promise<UnreadLaunch[]>
}

/** A launch that repeats another one. */
export interface LaunchMatch {
  subagentId: string
  sessionId: string
  description: string | null
  outputFile: string | null
  /** ISO 8601. */
  startedAt: string | null
  /** `lost`: it had no end when its process was gone. */
  state: 'running' | 'completed' | 'failed' | 'lost'
  /** `same` type and prompt, or only `similar` work. */
  likeness: 'same' | 'similar'
}
