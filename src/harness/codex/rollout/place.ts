import type { Carry } from './carry'
import type { RolloutLine } from './rollout-line'

/** A line with what is known of its file. */
export interface Place extends RolloutLine {
  /** The thread whose file it is. */
  thread: string
  /** The session that the file belongs to: of a thread that another one launched, the one at the top. */
  sessionId: string
  /** The thread itself where another one launched it; `null` = it is the session's main thread. */
  subagentId: string | null
  carry: Carry
}

/** The node and time of a line, for facts beside its event. */
export const sourceOf = ({
  uuid,
  at,
  subagentId,
}: Place): { uuid: string; at: number | null; subagentId: string | null } => ({
  uuid,
  at,
  subagentId,
})
