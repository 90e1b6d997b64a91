import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LineSplitter } from './line-splitter'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (line: Uint8Array | null) => (line === null ? null : new TextDecoder().decode(line))

describe('lines of a stream', () => {
  test('are whole and in order, however the bytes come', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 20 })), fc.array(fc.nat(30)), (parts, cuts) => {
        const all = bytes(parts.map((part) => part.replaceAll('\n', ' ')).join('\n'))
        const splitter = new LineSplitter()
        const lines: (string | null)[] = []
        let from = 0
        for (const cut of [...cuts, all.length]) {
          const piece = all.slice(from, from + cut)
          lines.push(...splitter.push(piece).map(text))
          // The pipe's buffer is used again.
          piece.fill(0)
          from += cut
        }
        const rest = splitter.rest()
        if (rest !== null) lines.push(text(rest))
        const wanted = new TextDecoder().decode(all).split('\n')
        if (wanted.at(-1) === '') wanted.pop()
        expect(lines).toEqual(wanted)
      }),
    )
  })

  test('that are too long are passed over, and the next one is whole', () => {
    const splitter = new LineSplitter(10)
    const lines = [
      ...splitter.push(bytes('aaaaaaaaaa')),
      ...splitter.push(bytes('aaaa')),
      ...splitter.push(bytes('a\nok\n')),
    ]
    expect(lines.map(text)).toEqual(['ok'])
  })

  test('of many megabytes come whole', () => {
    const splitter = new LineSplitter()
    const piece = new Uint8Array(1 << 16).fill(97)
    for (let i = 0; i < 320; i++) expect(splitter.push(piece)).toEqual([])
    expect(splitter.push(bytes('\n')).map((line) => line.length)).toEqual([320 << 16])
  })
})
