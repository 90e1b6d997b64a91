import type { RecallMoment } from '../recall/recall'

/** What a hook of an agent CLI reports, in the product's words. A sub-agent's hooks report launches and its compactions only. */
export type HookEvent = HookFacts &
  (
    | { kind: 'start'; moment: Exclude<RecallMoment, 'precompact'>; promptId: string }
    | { kind: 'compaction'; moment: 'precompact'; promptId: string }
    | { kind: 'prompt' }
    /** The agent would rest now. A turn that a hook has prolonged already does not end a second time. */
    | { kind: 'turnEnd' }
    /** The session ended because a person cleared the conversation. */
    | { kind: 'cleared' }
    /** A sub-agent goes on after its own conversation was compacted. */
    | { kind: 'subagentCompacted'; subagentId: string; promptId: string }
    | { kind: 'launch'; launch: HookLaunch }
  )

interface HookFacts {
  /** Holds no character that a path or a shell would take for more. */
  sessionId: string
  /** Absolute; `null` = the CLI does not say. */
  cwd: string | null
  transcript: string | null
}

/** A sub-agent that the agent is about to launch. */
export interface HookLaunch {
  type: string
  prompt: string
  /** '' where the CLI does not say. */
  toolUseId: string
}

/** A moment at which an agent is given its goal and state. */
export type HookMoment = Extract<HookEvent, { kind: 'start' | 'compaction' }>

type Environment = Readonly<Record<string, string | undefined>>

/** What a CLI says of moments whose text comes with a later prompt. */
export interface LateAnswers {
  /** Whether a compaction that a hook heard of was done, by what the transcript got since. A compaction may fail. Pure; never throws */
  hasCompacted(since: Uint8Array): boolean
}

/** How the hooks of one agent CLI are read and answered. Hooks have milliseconds: nothing of it loads more than node:fs. */
export interface HarnessHooks {
  /** @returns `null` for what is not answered. Pure; never throws */
  read(payload: unknown): HookEvent | null
  /** Characters of an answer that the model gets whole. */
  readonly answerLimit: number
  /**
   * For a CLI that lets words in with a prompt only: what is due at a start or at a compaction waits for the next prompt. `null` = its
   * hooks answer at the moment itself.
   */
  readonly late: LateAnswers | null
  /** What a hook prints so that the agent gets the text at this event. Pure. */
  answer(event: HookEvent, text: string): string
  /** What a hook prints about a launch: it is refused, or goes on with a remark. Pure. */
  answerLaunch(verdict: 'refuse' | 'remark', text: string): string
  /** The CLI's process as its environment names it, for systems that don't show processes as files. */
  processOf(env: Environment): string | null
  /** What the CLI's arguments say: the session that it resumes, and whether in a copy. `isOneShot`: the process ends with its answer. */
  arguments(words: readonly string[]): { resumes: string | null; isFork: boolean; isOneShot: boolean }
  /** Exports a variable to the shell commands of the session that starts. Never throws: without it, commands ask for more. */
  exportVariable(env: Environment, name: string, value: string): void
  /** The configuration folder of a transcript. */
  rootOf(transcript: string): string
}
