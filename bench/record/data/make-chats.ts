import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Random } from '../../common/random'
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

/** Makes files of conversations until there are this many bytes. */
function makeFiles(
  folder: string,
  random: Random,
  { files, bytes }: { files: number; bytes: number },
  { nameOf, conversation }: { nameOf(id: string): string; conversation: Conversation },
): Made {
  const made: Made = { files: 0, bytes: 0, events: 0 }
  for (; made.files < files; made.files++) {
    const id = random.uuid()
    const { text, events } = conversation(id, random, (bytes - made.bytes) / (files - made.files))
    const path = join(folder, nameOf(id))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
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

/** Makes a folder of Copilot CLI: each call stands in the model's message, at its start and at its end. */
export const makeCopilotSessions = (root: string, random: Random, size: { files: number; bytes: number }): Made =>
  makeFiles(join(root, 'session-state'), random, size, {
    nameOf: (id) => `${id}/events.jsonl`,
    conversation: copilotSession,
  })

function copilotSession(sessionId: string, random: Random, bytes: number): { text: string; events: number } {
  let at = BEGIN
  let text = ''
  let events = 0
  let parentId: string | null = null
  const write = (type: string, data: object): void => {
    const id = random.uuid()
    text += `${JSON.stringify({ type, data, id, timestamp: new Date(at++).toISOString(), parentId })}\n`
    parentId = id
  }
  const event = (type: string, data: object): void => {
    write(type, data)
    events++
  }
  const model = 'gpt-5.2'
  const context = { cwd: '/home/user/project' }
  write('session.start', { sessionId, version: 1, copilotVersion: '1.0.102', selectedModel: model, context })
  for (let turn = 0; text.length < bytes; turn++) {
    event('user.message', { content: prose(random, 300) })
    for (let step = 0; step < STEPS; step++) {
      write('assistant.turn_start', { turnId: String(step) })
      const toolCallId = `call_${turn}_${step}`
      const usage = { model, inputTokens: 1_000, outputTokens: 20, cacheReadTokens: 0, cacheWriteTokens: 0 }
      write('session.usage_record', { usage: { ...usage, apiCallId: toolCallId } })
      const request = { toolCallId, name: 'bash', arguments: { command: 'make test' }, type: 'function' }
      event('assistant.message', { messageId: random.uuid(), model, content: '', toolRequests: [request] })
      write('tool.execution_start', { toolCallId, toolName: 'bash', arguments: request.arguments })
      const result = { content: code(random, 9_000) }
      event('tool.execution_complete', { toolCallId, success: true, result })
      write('assistant.turn_end', { turnId: String(step) })
    }
    event('assistant.message', { messageId: random.uuid(), model, content: prose(random, 600), toolRequests: [] })
  }
  return { text, events }
}

/** Makes a folder of Pi: an entry for each message, one below the other. */
export const makePiSessions = (root: string, random: Random, size: { files: number; bytes: number }): Made =>
  makeFiles(join(root, 'sessions/--home-user-project--'), random, size, {
    nameOf: (id) => `2026-06-01T00-00-00-000Z_${id}.jsonl`,
    conversation: piSession,
  })

function piSession(id: string, random: Random, bytes: number): { text: string; events: number } {
  let at = BEGIN
  let events = 0
  let parentId: string | null = null
  let text = `${JSON.stringify({ type: 'session', version: 3, id, timestamp: new Date(at).toISOString(), cwd: '/home/user/project' })}\n`
  const says = (message: object): void => {
    const own = random.uuid().slice(0, 8)
    const timestamp = new Date(at++).toISOString()
    text += `${JSON.stringify({ type: 'message', id: own, parentId, timestamp, message: { ...message, timestamp: at } })}\n`
    parentId = own
    events++
  }
  const replies = (content: object[]): void =>
    says({
      ...{ role: 'assistant', content, provider: 'openai', model: 'gpt-5.2', stopReason: 'stop' },
      usage: { input: 1_000, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: 1_020 },
    })
  for (let turn = 0; text.length < bytes; turn++) {
    says({ role: 'user', content: [{ type: 'text', text: prose(random, 300) }] })
    for (let step = 0; step < STEPS; step++) {
      const call = `call_${turn}_${step}`
      replies([{ type: 'toolCall', id: call, name: 'bash', arguments: { command: 'make test' } }])
      const content = [{ type: 'text', text: code(random, 9_000) }]
      says({ role: 'toolResult', toolCallId: call, toolName: 'bash', content, isError: false })
    }
    replies([{ type: 'text', text: prose(random, 600) }])
  }
  return { text, events }
}
