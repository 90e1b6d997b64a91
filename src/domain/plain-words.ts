/**
 * What an agent wrote, as plain words in one line: without Markdown, blocks of code and the CLI's own elements. For lists and summaries; where
 * the text itself is read, it is shown as it is.
 */
export const plainWords = (text: string): string =>
  text
    .replace(/<(\w[\w-]*)[^>]*>[\s\S]*?<\/\1>/g, ' ')
    .replace(/```[\s\S]*?(```|$)/g, ' ')
    .replace(/^#+[ \t]*(.*\w)[ \t]*$/gm, '$1:')
    .replace(/^\s*(?:[#>]+\s*|[-*]\s+)+/gm, '')
    .replace(/^[ \t]*\|[ \t:|-]+$/gm, ' ')
    .replace(
      /^[ \t]*\|(.*?)\|?[ \t]*$/gm,
      (_row, cells: string) =>
        `${cells
          .split('|')
          .map((cell) => cell.trim())
          .join(', ')};`,
    )
    .replace(/!?\[([^\][\n]*)\]\([^()\s]*\)/g, '$1')
    .replace(/(\*\*|\*|`)(\S(?:.*?\S)?)\1/g, '$2')
    .replace(/(?<!\w)__(\S(?:.*?\S)?)__(?!\w)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
