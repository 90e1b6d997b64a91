import { textOf } from '../json-lines/json-value'
import type { Entry } from './entry'
import { wordsOf } from './parts'

/** What a person reads of an entry that is no message. */
export function entryWords({ type, record }: Pick<Entry, 'type' | 'record'>): string {
  const text = (name: string): string => textOf(record[name]) ?? ''
  switch (type) {
    case 'session':
      return ''
    case 'model_change':
      return `Model: ${text('provider')}/${text('modelId')}`
    case 'thinking_level_change':
      return `Thinking: ${text('thinkingLevel')}`
    case 'compaction':
    case 'branch_summary':
      return text('summary')
    case 'custom_message':
      return wordsOf(record.content)
    case 'custom':
      return `Kept by an extension: ${text('customType')}`
    case 'usage':
      return `Usage: ${text('kind')}`
    case 'label':
      return text('label') === '' ? 'A label was taken away.' : `Label: ${text('label')}`
    case 'session_info':
      return `Name: ${text('name')}`
    case 'context_edit':
      return record.replacement === null ? 'An entry is left out from here on.' : 'An entry is replaced from here on.'
    default:
      return ''
  }
}
