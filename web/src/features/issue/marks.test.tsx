import { expect, test } from 'bun:test'
import { renderToStaticMarkup } from 'react-dom/server'
import { Status } from '../../components/ui/status'
import { TypeMark } from './marks'

test('types and statuses that are names of what every object has are shown like any other', () => {
  for (const word of ['constructor', '__proto__', 'toString', 'my own']) {
    expect(renderToStaticMarkup(<TypeMark type={word} />)).toContain(`title="${word}"`)
    expect(renderToStaticMarkup(<Status status={word} />)).toContain(word.replaceAll('_', ' '))
  }
})
