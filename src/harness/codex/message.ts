import { MOST_PARTS } from '../../domain/record/kept-text'
import type { EventType } from '../../domain/record/observation'
import type { JsonRecord } from '../json-lines/json-value'
import { isRecord, listOf, textOf } from '../json-lines/json-value'

/** The texts of a message. An image is `[image]`, and what only the model's provider can read `[encrypted]`. */
export function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content]
  return listOf(content)
    .slice(0, MOST_PARTS)
    .flatMap((part) => {
      if (typeof part === 'string') return [part]
      if (!isRecord(part)) return []
      if (typeof part.text === 'string') return [part.text]
      if (part.type === 'encrypted_content') return ['[encrypted]']
      return [part.type === 'input_image' ? '[image]' : `[${textOf(part.type) ?? 'part'}]`]
    })
}

/** Beginnings of texts that the CLI writes under a person's name, to tell the model where it is and what holds there. */
const CONTEXT_OPENINGS = [
  '<environment_context>',
  '<user_instructions>',
  '<permissions instructions>',
  '<skills_instructions>',
  '<skill>',
  '<apps_instructions>',
  '<plugins_instructions>',
  '<collaboration_mode>',
  '<personality_spec>',
  '<model_switch>',
  '<multi_agent_',
  '<hook_',
  '<user_action>',
  '<INSTRUCTIONS>',
  '# AGENTS.md instructions',
  '<recommended_plugins>',
  '<codex_internal_context',
  '<goal_context>',
  '<realtime_conversation>',
  '<app-context>',
  '<in-app-browser-context',
]
/** Whether a text is the CLI's, which tells the model where it is. */
export const isContext = (text: string): boolean => {
  const opening = text.slice(0, 200).trimStart()
  return CONTEXT_OPENINGS.some((start) => opening.startsWith(start))
}

const FOLDER = /^\s*<environment_context>\s*(?:<cwd>([^<\n]{1,4000})<\/cwd>|Current working directory: ([^\n]{1,4000}))/

/** The folder of a session, as its model reads it. Releases without an envelope have no field for it. */
export function folderIn(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const [, named, before] = FOLDER.exec(text.slice(0, 10_000)) ?? []
    const folder = (named ?? before)?.trim()
    if (folder) return folder
  }
  return undefined
}

/** The same of what happened in the session, which nobody asked for. */
const SYSTEM_OPENINGS = ['<turn_aborted>', '<user_interruption>', '<user_shell_command>']
/** The end of a sub-agent, as its launcher reads it. */
export const NOTICE_OPENING = '<subagent_notification>'
/** The same of the second generation, in a message between agents; what the sub-agent said follows. */
export const FINAL_ANSWER = 'Message Type: FINAL_ANSWER\n'

/** What a message of a `role` is. */
export function messageType(role: string | undefined, texts: readonly string[]): EventType {
  if (role === 'assistant') return 'text'
  if (role !== 'user') return 'attachment'
  const openings = texts.map((text) => text.slice(0, 200).trimStart())
  const begins = (list: readonly string[]) => (text: string) => list.some((start) => text.startsWith(start))
  const own = openings.filter((text) => text !== '' && !begins(CONTEXT_OPENINGS)(text))
  if (own.length === 0) return 'attachment'
  if (own.every((text) => text.startsWith(NOTICE_OPENING))) return 'notice'
  return own.every(begins(SYSTEM_OPENINGS)) ? 'system' : 'prompt'
}

/** Editors put what they know before a person's words, under this heading. */
const REQUEST_HEADING = /^## My request for Codex:\s*/m

/** A person's own words in a prompt; at most 4,000 characters. */
export function promptWords(texts: readonly string[]): string {
  for (const text of texts) {
    const opening = text.slice(0, 20_000).trimStart()
    if (opening === '' || CONTEXT_OPENINGS.some((start) => opening.startsWith(start))) continue
    const heading = opening.startsWith('# Context from my IDE setup') ? REQUEST_HEADING.exec(opening) : null
    const words = heading === null ? opening : opening.slice(heading.index + heading[0].length)
    return words.slice(0, 4_000).trim()
  }
  return ''
}

/** The words of a model's thinking, as far as they may be read. */
export function thinkingOf(item: JsonRecord): string {
  const own = textsOf(item.content)
  return (own.length > 0 ? own : textsOf(item.summary)).join('\n')
}
