// Draws paragraphs, lists, tables and the other blocks of a text.
import { useId } from 'react'
import { CodeBlock } from './code/code-block.tsx'
import { Inlines } from './inlines.tsx'
import { FormulaBlock } from './math/formula.tsx'
import { ScrollBox } from './scroll-box.tsx'
import type { ListItemNode, MarkdownBlock } from './tree.ts'

type BlocksProps = { readonly blocks: readonly MarkdownBlock[]; readonly growing: boolean }

/** Draws one block. Its own first letters decide its writing direction, not the blocks around it. */
export function MarkdownBlocks({ blocks, growing }: BlocksProps): React.ReactNode {
  return blocks.map((block, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: what a text has become is replaced as a whole, in order
    <One key={index} block={block} growing={growing && index === blocks.length - 1} />
  ))
}

function One({ block, growing }: { readonly block: MarkdownBlock; readonly growing: boolean }): React.ReactNode {
  switch (block.type) {
    case 'paragraph':
      return (
        <p dir="auto">
          <Inlines inlines={block.inlines} />
        </p>
      )
    case 'heading': {
      const Heading = `h${block.level}` as const
      return (
        <Heading dir="auto">
          <Inlines inlines={block.inlines} />
        </Heading>
      )
    }
    case 'code':
      return <CodeBlock language={block.language} text={block.text} growing={growing} />
    case 'quote':
      return (
        <blockquote dir="auto">
          <MarkdownBlocks blocks={block.blocks} growing={growing} />
        </blockquote>
      )
    case 'list':
      return <List block={block} growing={growing} />
    case 'table':
      return <Table block={block} />
    case 'rule':
      return <hr />
    case 'formula':
      return <FormulaBlock formula={block} />
    case 'plain':
      return (
        <p className="as-written" dir="auto">
          {block.text}
        </p>
      )
  }
}

type ListProps = { readonly block: Extract<MarkdownBlock, { readonly type: 'list' }>; readonly growing: boolean }

function List({ block: { start, items }, growing }: ListProps): React.ReactNode {
  const shown = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: what a text has become is replaced as a whole, in order
    <ListItem key={index} item={item} growing={growing && index === items.length - 1} />
  ))
  return start === null ? (
    <ul dir="auto">{shown}</ul>
  ) : (
    <ol dir="auto" start={start}>
      {shown}
    </ol>
  )
}

function ListItem({
  item: { checked, blocks },
  growing,
}: {
  readonly item: ListItemNode
  readonly growing: boolean
}): React.ReactNode {
  const words = useId()
  if (checked === null) {
    return (
      <li dir="auto">
        <MarkdownBlocks blocks={blocks} growing={growing} />
      </li>
    )
  }
  return (
    <li dir="auto" className="task">
      <input type="checkbox" disabled checked={checked} readOnly aria-labelledby={words} />
      <div id={words}>
        <MarkdownBlocks blocks={blocks} growing={growing} />
      </div>
    </li>
  )
}

function Table({
  block: { columns, rows },
}: {
  readonly block: Extract<MarkdownBlock, { readonly type: 'table' }>
}): React.ReactNode {
  return (
    <ScrollBox label="Table" className="table-box">
      <table>
        <thead>
          <tr>
            {columns.map(({ align, head }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
              <th key={index} scope="col" dir="auto" data-align={align}>
                <Inlines inlines={head} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
            <tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
                <td key={column} dir="auto" data-align={columns[column]?.align}>
                  <Inlines inlines={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}
