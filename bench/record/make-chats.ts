import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../common/random'
import { code, prose } from './words'

/** A day of 2026. */
const BEGIN = Date.UTC(2026, 5, 1)
/** Calls before the model answers. */
const STEPS = 8

interface Made {
  files: number
  bytes: number
  events: number
}

/** Writes one conversation. @returns its text, and the lines and parts of lines that are events of the record */
type Conversation = (id: string, random: Random, bytes: number) => { text: string; events: number }

/** Makes files of conversations until there are so many bytes. */
function makeFiles(
  folder: string,
  random: Random,
  { files, bytes }: { files: number; bytes: number },
  { nameOf, conversation }: { nameOf(id: string): string; conversation: Conversation },
): Made {
  mkdirSync(folder, { recursive: true })
  const made: Made = { files: 0, bytes: 0, events: 0 }
  for (; made.files < files; made.files++) {
    const id = random.uuid()
    const { text, events } = conversation(id, random, (bytes - made.bytes) / (files - made.files))
    writeFileSync(join(folder, nameOf(id)), text)
    made.bytes += Buffer.byteLength(text)
    made.events += events
  }
  return made
}

/** Makes a folder of Gemini CLI: each reply stands twice, the second time with its call and its answer. */
export const makeGeminiChats = (root: string, random: Random, size: { files: number; bytes: number }): Made =>
  makeFiles(join(root, 'tmp/project/chats'), random, size, {
    nameOf: (id) => `session-2026-06-01T00-00-${id.slice(0, 8)}.jsonl`,
    conversation: geminiChat,
  })

function geminiChat(id: string, random: Random, bytes: number): { text: string; events: number } {
  let at = BEGIN
  let text = ''
  let events = 0
  const write = (record: object): void => {
    text += `${JSON.stringify(record)}\n`
  }
  const message = (type: string, more: object) => {
    const timestamp = new Date(at++).toISOString()
    return { id: random.uuid(), timestamp, type, ...more }
  }
  const startTime = new Date(at).toISOString()
  write({ sessionId: id, projectHash: 'p', startTime, lastUpdated: startTime, kind: 'main' })
  for (let turn = 0; text.length < bytes; turn++) {
    write(message('user', { content: [{ text: prose(random, 300) }] }))
    events++
    for (let step = 0; step < STEPS; step++) {
      const tokens = { input: 1_000, output: 20, cached: 0, thoughts: 0, tool: 0, total: 1_020 }
      const thoughts = [{ subject: 'Next', description: prose(random, 400) }]
      const reply = message('gemini', { content: '', thoughts, tokens, model: 'gemini-2.5-flash' })
      write(reply)
      const call = `run_shell_command_${turn}_${step}`
      const answer = {
        functionResponse: { id: call, name: 'run_shell_command', response: { output: code(random, 9_000) } },
      }
      const timestamp = new Date(at++).toISOString()
      const named = { id: call, name: 'run_shell_command', args: { command: 'make test' } }
      write({ ...reply, toolCalls: [{ ...named, result: [answer], status: 'success', timestamp }] })
      write(message('user', { content: [answer] }))
      // Thinking, call and answer; the message with the answer is the same again.
      events += 3
    }
    write(message('gemini', { content: prose(random, 600), thoughts: [], model: 'gemini-2.5-flash' }))
    write({ $set: { lastUpdated: new Date(at).toISOString() } })
    events++
  }
  return { text, events }
}

/** Makes a folder of Qwen Code: a line for each message, and those of the CLI for its own figures. */
export const makeQwenChats = (root: string, random: Random, size: { files: number; bytes: number }): Made =>
  makeFiles(join(root, 'projects/-home-user-project/chats'), random, size, {
    nameOf: (id) => `${id}.jsonl`,
    conversation: qwenChat,
  })

function qwenChat(sessionId: string, random: Random, bytes: number): { text: string; events: number } {
  let at = BEGIN
  let text = ''
  let events = 0
  let parentUuid: string | null = null
  const write = (type: string, more: object): void => {
    const uuid = random.uuid()
    const place = { cwd: '/home/user/project', version: '0.24.4' }
    text += `${JSON.stringify({ uuid, parentUuid, sessionId, timestamp: new Date(at++).toISOString(), type, ...place, ...more })}\n`
    parentUuid = uuid
    if (type !== 'system') events++
  }
  const says = (type: string, part: object): void => {
    const role = type === 'assistant' ? 'model' : 'user'
    write(type, { ...(type === 'assistant' && { model: 'qwen3-coder' }), message: { role, parts: [part] } })
  }
  for (let turn = 0; text.length < bytes; turn++) {
    says('user', { text: prose(random, 300) })
    for (let step = 0; step < STEPS; step++) {
      const id = `call_${turn}_${step}`
      const counts = { input_token_count: 1_000, output_token_count: 20, total_token_count: 1_020 }
      const uiEvent = { 'event.name': 'qwen-code.api_response', response_id: id, model: 'qwen3-coder', ...counts }
      write('system', { subtype: 'ui_telemetry', systemPayload: { uiEvent } })
      says('assistant', { functionCall: { id, name: 'run_shell_command', args: { command: 'make test' } } })
      const response = { output: code(random, 9_000) }
      says('tool_result', { functionResponse: { id, name: 'run_shell_command', response } })
    }
    says('assistant', { text: prose(random, 600) })
  }
  return { text, events }
}
