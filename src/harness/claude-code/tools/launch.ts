import { KEPT } from '../../../domain/record/kept-text'
import type { Launch } from '../../../domain/record/observation'
import { recordOf, textOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'

/** What a call asks for when it may launch a sub-agent, a background shell or a monitor; else `undefined`. */
export function launchOf(name: string, input: unknown): Launch | undefined {
  const asked = recordOf(input)
  if (!asked) return undefined
  const isAgent = name === 'Agent' || name === 'Task'
  const isTask = name === 'Monitor' || (name === 'Bash' && asked.run_in_background === true)
  if (!isAgent && !isTask) return undefined
  const type = isAgent ? textOf(asked.subagent_type) : undefined
  const description = textOf(asked.description)
  const prompt = textOf(isAgent ? asked.prompt : asked.command)
  return {
    ...(type !== undefined && { type: clip(type, KEPT.short) }),
    ...(description !== undefined && { description: clip(description, KEPT.short) }),
    ...(prompt !== undefined && { prompt: clip(prompt, KEPT.long) }),
  }
}
