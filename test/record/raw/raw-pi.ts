import { linesOf, nothing, type RawFacts } from './raw-facts'

interface Usage {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
}
/** What the lines are taken for, and nobody checks it. */
interface Line {
  type: string
  id: string
  timestamp: string
  usage?: Usage
  message?: {
    role: string
    content: { type: string; text: string; id: string; name: string }[]
    toolCallId: string
    usage?: Usage
  }
}

const sum = ({ input, output, cacheRead, cacheWrite }: Usage): number => input + output + cacheRead + cacheWrite

/** Reads sessions of Pi. @returns by session */
export function rawPi(paths: readonly string[]): Map<string, RawFacts> {
  const sessions = new Map<string, RawFacts>()
  for (const path of paths) {
    const [header, ...lines] = linesOf<Line>(path)
    if (header === undefined) continue
    const facts = nothing()
    sessions.set(header.id, facts)
    for (const { id, timestamp, message, usage = message?.usage } of lines) {
      // A copy of another session, put before what this one did.
      if (Date.parse(timestamp) < Date.parse(header.timestamp)) continue
      if (usage) facts.tokens.set(id, sum(usage))
      if (message?.role === 'user') facts.prompts.add(message.content.map(({ text }) => text).join('\n'))
      if (message?.role === 'toolResult') facts.answered.add(message.toolCallId)
      if (message?.role === 'assistant')
        for (const part of message.content) if (part.type === 'toolCall') facts.calls.set(part.id, part.name)
    }
  }
  return sessions
}
