import type { Observation } from '../../domain/record/observation'
import type { HookBatch } from './hooks'

/** A block of a journal, parsed. */
export interface ParsedBytes {
  observations: Observation[]
  /** The hook journal only: each hook's observations with its session. */
  hooks: HookBatch[]
  malformed: { offset: number; length: number; reason: string }[]
  /** Bytes that need not be looked at again. */
  consumed: number
  sessionId: string | null
  /** For a file's first block: lines older than this are inherited; 0 = none are; `null` = not known yet. */
  ownFromAt: number | null
  /** See `ParsedLines.carry`. */
  carry: string | null
}
