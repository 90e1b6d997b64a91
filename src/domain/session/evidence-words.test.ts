import { expect, test } from 'bun:test'
import { evidenceInWords } from './evidence-words'

test('the evidence of a status reads like a sentence, and what is no sign stays as it is', () => {
  for (const [evidence, words] of [
    ['transcript:end_turn 2 s ago, process 4711 alive', 'the turn ended 2 s ago (transcript), process 4711 alive'],
    ['hook:Stop 12 s ago', 'hook Stop 12 s ago'],
    ['hook:Notification(asks for Bash) 3 min ago', 'hook Notification(asks for Bash) 3 min ago'],
    ['last event 5 s ago, stream:some_thing 1 d ago', 'last event 5 s ago, some thing 1 d ago (output of the run)'],
    ['transcript:session.shutdown 3 s ago', 'the CLI ended 3 s ago (transcript)'],
    ['file grew 4 s ago, rows:stop 30 s ago', 'file grew 4 s ago, the turn ended 30 s ago (database of the CLI)'],
    ['no process found', 'no process found'],
    ['end (a:b transcript:) 2 h ago', 'end (a:b transcript:) 2 h ago'],
  ] as const)
    expect(evidenceInWords(evidence)).toBe(words)
})
