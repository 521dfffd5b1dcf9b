import {
  CellTypeSwitcher,
  type Notebook,
  NotebookActions
} from '@jupyterlab/notebook';
import type { ITranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { chosenCells, isSqlCell, type SqlCells } from './cells';
import { asPlain, asSql } from './magic';

const SQL = 'sql';

/** Lab's own choice of a cell's type, with SQL beside Code. */
export class SqlCellTypeSwitcher extends CellTypeSwitcher {
  constructor(
    private readonly book: Notebook,
    cells: SqlCells,
    translator: ITranslator,
    /** What SQL is called among the types. */
    private readonly label: string
  ) {
    super(book, translator);
    const change = this.handleChange;
    this.handleChange = event => {
      const { value } = event.target;
      if (value === SQL) {
        toSql(this.book);
      } else if (value !== '-') {
        fromSql(this.book);
        change(event);
      }
      this.book.activate();
      this.update();
    };
    cells.changed.connect(this.update, this);
  }

  override render(): JSX.Element {
    const select = super.render() as React.ReactElement<{
      value: string;
      children: React.ReactNode;
    }>;
    const kinds = chosenCells(this.book).map(({ model }) => isSqlCell(model));
    const [none, code, ...others] = React.Children.toArray(
      select.props.children
    );
    let { value } = select.props;
    if (kinds.length && kinds.every(sql => sql)) {
      value = SQL;
    } else if (kinds.some(sql => sql)) {
      value = '-';
    }
    return React.cloneElement(
      select,
      { value },
      none,
      code,
      <option key={SQL} value={SQL}>
        {this.label}
      </option>,
      ...others
    );
  }
}

/** Makes the chosen cells SQL cells. */
export function toSql(notebook: Notebook): void {
  NotebookActions.changeCellType(notebook, 'code');
  for (const { model } of chosenCells(notebook)) {
    const source = model.sharedModel.getSource();
    if (asSql(source) !== source) {
      model.sharedModel.setSource(asSql(source));
    }
  }
  const editor = notebook.activeCell?.editor;
  if (editor && editor.getCursorPosition().line === 0) {
    // What is typed next is SQL, not a part of the magic's line.
    editor.setCursorPosition({ line: 1, column: 0 });
  }
}

/** Takes away what makes the chosen cells SQL cells. */
export function fromSql(notebook: Notebook): void {
  for (const { model } of chosenCells(notebook)) {
    if (isSqlCell(model)) {
      model.sharedModel.setSource(asPlain(model.sharedModel.getSource()));
    }
  }
}
