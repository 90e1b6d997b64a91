import type { Observation } from '../../../domain/record/observation'
import type { JsonRecord } from '../../json-lines/json-value'
import { idOf, recordOf, textOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'
import { endStatusOf, taskKindOf } from '../notification'
import { subagentTexts } from '../tools/agent'

/**
 * A `task_status` attachment: it reminds the model, mostly after a compaction, of what runs in the background or ended. It says that a task
 * ended, not when.
 */
export function readTaskStatus(attachment: JsonRecord, uuid: string, at: number | null): Observation[] {
  const taskId = idOf(attachment.taskId)
  const kind = taskKindOf(textOf(attachment.taskType))
  if (taskId === undefined || kind === undefined) return []
  const status = endStatusOf(attachment.status)
  const seenAt = at === null ? {} : { seenAt: at }
  const end = status && { end: { status, at: null, evidence: 'transcript:task_status', ...seenAt } }
  const outputFile = textOf(attachment.outputFilePath)
  if (kind === 'agent') {
    const texts = subagentTexts({ description: attachment.description, outputFile })
    return [{ kind: 'subagent', uuid, subagentId: taskId, ...texts, ...end }]
  }
  const toolUseId = idOf(recordOf(attachment.shell)?.toolUseId)
  const description = textOf(attachment.description)
  return [
    {
      kind: 'background',
      uuid,
      taskId,
      taskKind: kind,
      subagentId: null,
      ...(toolUseId !== undefined && { toolUseId }),
      ...(description && { description: clip(description, 1_000) }),
      ...(outputFile && { outputFile: clip(outputFile, 1_000) }),
      ...end,
    },
  ]
}
