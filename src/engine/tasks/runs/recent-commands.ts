import type { Command } from '../../../domain/task/worker-protocol'

/** A command that was not carried out is sent again after this. */
const REPEAT_AFTER_MS = 2_000
/** The oldest beyond this number are forgotten: such a command may be sent once too often. */
const MAX_REMEMBERED = 10_000

/**
 * Commands that were sent to workers a moment ago. A wish lasts until the run has ended, so without this a worker that polls again
 * at once would get it again and again. Correctness does not depend on it: a command whose answer was lost is sent again, and each
 * has an id by which a worker recognises a repeat.
 */
export class RecentCommands {
  private readonly at = new Map<string, number>()

  /** The `commands` that were not sent just now; they then count as sent. */
  filter(commands: Command[], now: number): Command[] {
    return commands.filter((command) => {
      const id = idOf(command)
      const sentAt = this.at.get(id)
      if (sentAt !== undefined && now - sentAt < REPEAT_AFTER_MS && now >= sentAt) return false
      this.at.delete(id)
      this.at.set(id, now)
      this.cut()
      return true
    })
  }

  private cut(): void {
    for (const id of this.at.keys()) {
      if (this.at.size <= MAX_REMEMBERED) return
      this.at.delete(id)
    }
  }
}

function idOf(command: Command): string {
  const { kind, attemptId } = command
  if (kind === 'input') return `input ${command.uuid} ${attemptId}`
  return kind === 'answer' ? `answer ${command.questionId}` : `${kind} ${attemptId} ${command.reason}`
}
