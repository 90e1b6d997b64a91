import type { Launch } from '../../../domain/record/observation'
import { recordOf, textOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'

/** Characters of a prompt or command, and of a short description, that are kept. */
const PROMPT_LIMIT = 20_000
const SHORT_LIMIT = 1_000

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
    ...(type !== undefined && { type: clip(type, SHORT_LIMIT) }),
    ...(description !== undefined && { description: clip(description, SHORT_LIMIT) }),
    ...(prompt !== undefined && { prompt: clip(prompt, PROMPT_LIMIT) }),
  }
}
