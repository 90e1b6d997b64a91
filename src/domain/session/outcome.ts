import type { EventId, SubagentId, ToolUseId } from '../ids'
import type { Product } from './product'

/** A file that a session changed. */
export interface ChangedFile {
  path: string
  /** Calls that wrote it. */
  calls: number
}

/** What a session made, and when. */
export interface MadeProduct extends Product {
  at: string | null
  /** Pull requests only: when a line first showed that it is merged; `null` = none does. */
  mergedAt: string | null
}

/** What came of a session, beside what its row says. */
export interface SessionOutcome {
  /** Most calls first; at most `MOST_FILES` of them. */
  files: ChangedFile[]
  /** Oldest first. */
  products: MadeProduct[]
}

/** Files that an outcome tells by name. */
export const MOST_FILES = 500

/** What a reader steps to: a failed call or an error of the API; a call that wrote files. */
export const STEP_KINDS = ['error', 'edit'] as const
export type StepKind = (typeof STEP_KINDS)[number]

/** From where, and to what. */
export interface StepRequest {
  kind: StepKind
  /** `null` = from the beginning, or backwards from the end. */
  from: EventId | null
  isBack: boolean
  /** Among its lines; `null` = the main thread's. */
  agent: SubagentId | null
}

/** A call that wrote files and did not fail. */
export interface EditCall {
  id: ToolUseId
  subagentId: SubagentId | null
  at: string | null
  files: string[]
  /** Its line, and that of its answer; `null` = not recorded. */
  call: EventId | null
  answer: EventId | null
}
