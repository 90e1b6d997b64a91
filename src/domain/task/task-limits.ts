import { DAY_MS, HOUR_MS } from '../time-units'

/**
 * Bounds of a task's fields. They stand here alone: the engine checks them, its `too_large` names them, and the API publishes them.
 * Texts are counted in characters, lists in items.
 */
export const TASK_LIMITS = Object.freeze({
  text: 200_000,
  title: 300,
  tag: 100,
  progress: 20_000,
  output: 500_000,
  /** A short option: a model, a type, a mode, a source, a branch, an id of the agent's CLI. */
  word: 200,
  path: 4_096,
  /** Why it was cancelled, paused, released or tried again. */
  reason: 1_000,
  /** Why it failed; also what a person says with the answer to a question. */
  failureReason: 4_000,
  tags: 50,
  capabilities: 50,
  dependsOn: 1_000,
  /** Levels of parents above a task. */
  depth: 100,
})

/** What a number may be, both ends included. */
export interface NumberRange {
  least: number
  most: number
}

/** Bounds of a task's numbers, all of them whole but `backoffCoefficient`. */
export const TASK_RANGES = Object.freeze({
  /** The highest first. */
  priority: { least: 0, most: 100 },
  maximumAttempts: { least: 1, most: 1_000 },
  retryIntervalMs: { least: 0, most: 7 * DAY_MS },
  backoffCoefficient: { least: 1, most: 100 },
  /** How long an offer stands. */
  offerMs: { least: 1_000, most: 30 * DAY_MS },
  /** How long a question waits for its answer. */
  questionMs: { least: 100, most: DAY_MS },
  /** The lease of a claim without a worker behind it: of an agent in a terminal, or a program. */
  claimLeaseMs: { least: 1_000, most: HOUR_MS },
  /** 0 is the highest. */
  epicPriority: { least: 0, most: 4 },
} satisfies Record<string, NumberRange>)

/** Priority of a task that names none. */
export const DEFAULT_TASK_PRIORITY = 50

/** US dollars; more than 0. */
export const MAX_TASK_COST_USD = 1_000_000
