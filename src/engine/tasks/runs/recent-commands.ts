import type { Command } from '../../../domain/task/worker-protocol'

/** A command that was not carried out is told again after this. */
const REPEAT_AFTER_MS = 2_000
/** More than this many are forgotten, oldest first: then one is told once too often. */
const MAX_REMEMBERED = 10_000

/**
 * What workers were told a moment ago. A wish stands until the run has ended, so without this a worker that asks again at once
 * would be told without end. Nothing correct depends on it: a command whose answer was lost is told again, and each carries an id
 * by which a worker knows it.
 */
export class RecentCommands {
  private readonly at = new Map<string, number>()

  /** Those of `commands` that were not told just now; they count as told. */
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
