import { expect, test } from 'bun:test'
import { attachmentLine } from './attachment-line'

test('an attachment is told by its words, or by its kind where it has none', () => {
  expect(attachmentLine('{"type":"prompt_snapshot","systemPrompt":["\\nYou are')).toBe('prompt snapshot')
  for (const text of ['', 'words', ' {"type":"date"}', '{"type":5}', '{"type":"<b>"}', '{"a":{"type":"date"}}'])
    expect(attachmentLine(text)).toBe(text)
})
