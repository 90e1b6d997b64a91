import { expect, test } from 'bun:test'
import { contentView } from './content-view'

const view = (...blocks: Parameters<typeof contentView>[0]['blocks']) => contentView({ blocks, isCut: false })

test('parts of a line stand under their headings', () => {
  expect(
    view(
      { kind: 'thinking', text: 'Hm.\n' },
      { kind: 'text', text: 'Now I change it.' },
      {
        kind: 'call',
        toolUseId: 'toolu_1',
        name: 'Edit',
        input: { file_path: '/a', old_string: 'x\ny', n: 1, all: null },
      },
      { kind: 'patch', path: '/a', hunks: [{ oldStart: 0, newStart: 0, lines: [' x', '-y', '+z'] }] },
    ),
  ).toBe(`
[thinking]
Hm.

Now I change it.

[call Edit toolu_1]
file_path: /a
old_string:
  x
  y
n: 1
all: null

[patch /a]
@@
 x
-y
+z
`)
  expect(
    view(
      {
        kind: 'answer',
        toolUseId: 't',
        isError: true,
        text: 'no',
        images: [{ mediaType: 'image/png', base64: 'A'.repeat(4_000) }],
      },
      { kind: 'answer', toolUseId: 't', isError: false, text: '', images: [] },
      { kind: 'patch', path: '/a', hunks: [{ oldStart: 3, newStart: 4, lines: [' x', '+y'] }] },
      { kind: 'image', mediaType: 'image/gif', base64: 'AAAA' },
      { kind: 'other', name: 'date', json: '{"date":"2026-11-22"}' },
    ),
  ).toBe(`
[error to t]
no
[image/png, 3.0 kB]

[answer to t]

[patch /a]
@@ -3,1 +4,2 @@
 x
+y

[image/gif, 3 B]

[date]
{"date":"2026-11-22"}
`)
})

test('nothing of it reaches the terminal as a command, and what is cut says so', () => {
  const hostile = 'a\u001b]0;title\u0007\u001b[31mb\u0000\u202e\nc'
  const text = contentView({
    blocks: [
      { kind: 'text', text: hostile },
      { kind: 'thinking', text: hostile },
      { kind: 'call', toolUseId: hostile, name: hostile, input: { [hostile]: hostile, list: [hostile] } },
      { kind: 'call', toolUseId: '', name: '', input: hostile },
      { kind: 'answer', toolUseId: hostile, isError: false, text: hostile, images: [] },
      { kind: 'patch', path: hostile, hunks: [{ oldStart: 1, newStart: 1, lines: [` ${hostile}`] }] },
      { kind: 'image', mediaType: hostile, base64: '' },
      { kind: 'other', name: hostile, json: hostile },
    ],
    isCut: true,
  })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  expect(text).toEndWith('\n(cut; --json shows the whole line)\n')
})
