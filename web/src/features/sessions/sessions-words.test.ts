import { expect, test } from 'bun:test'
import { COUNTED_SPANS } from '#domain/session/session-list'
import { facetWords } from './sessions-words'

test('spans are said in words', () => {
  const words = (facet: 'errors' | 'cost' | 'length') =>
    COUNTED_SPANS[facet].map((span) => facetWords(facet, span, null))
  expect(words('errors')).toEqual(['None', '1–4', '5 or more'])
  expect(words('cost')).toEqual(['Less than $0.10', '$0.10 to $1', '$1 to $10', '$10 or more'])
  expect(words('length')).toEqual(['Less than 1 min', '1 min to 10 min', '10 min to 1 h', '1 h to 8 h', '8 h or more'])
})

test('a value that is missing has a name, and others show hidden characters', () => {
  expect(facetWords('branch', null, null)).toBe('No branch')
  expect(facetWords('project', 'key', 'shop')).toBe('shop')
  expect(facetWords('branch', 'a\u202eb', null)).not.toContain('\u202e')
})
