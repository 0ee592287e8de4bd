"""Writes tests/parity/nn/recurrent.safetensors: what PyTorch computes for recurrent layers and cells.

usage: generate_rnn.py [FOLDER]      (default: the folder nn beside this file; needs torch and safetensors)
The seeds are fixed: the same PyTorch gives the same file. tests/unit/nn/recurrent.cpp reads it.
"""

import pathlib
import sys

import torch
from safetensors.torch import save_file
from torch import nn

from modules import flat, record

folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "nn"
out = {}


class Layer(nn.Module):
    """A layer whose results are one vector; the state, where there is one, comes stacked."""

    def __init__(self, rnn):
        super().__init__()
        self.rnn = rnn

    def forward(self, x, state=None):
        if isinstance(self.rnn, nn.LSTM):
            y, (h, c) = self.rnn(x, None if state is None else (state[0], state[1]))
            return flat(y, h, c)
        y, h = self.rnn(x, state)
        return flat(y, h)


class Cell(nn.Module):
    """A cell, whose results are one vector."""

    def __init__(self, rnn):
        super().__init__()
        self.rnn = rnn

    def forward(self, x, state=None):
        if isinstance(self.rnn, nn.LSTMCell):
            return flat(*self.rnn(x, None if state is None else (state[0], state[1])))
        return self.rnn(x, state).reshape(-1)


class Packed(Layer):
    """The same of sequences of these lengths, packed; outputs are padded with zeros."""

    def __init__(self, rnn, *lengths):
        super().__init__(rnn)
        self.lengths = torch.tensor(lengths)

    def forward(self, x, state=None):
        first, time = self.rnn.batch_first, x.size(1 if self.rnn.batch_first else 0)
        packed = nn.utils.rnn.pack_padded_sequence(x, self.lengths, batch_first=first, enforce_sorted=False)
        lstm = isinstance(self.rnn, nn.LSTM)
        y, last = self.rnn(packed, (state[0], state[1]) if lstm and state is not None else state)
        y = nn.utils.rnn.pad_packed_sequence(y, batch_first=first, total_length=time)[0]
        return flat(y, *last) if lstm else flat(y, last)


torch.manual_seed(5)
record(out, "rnn", Layer(nn.RNN(3, 4)), (5, 2, 3), (1, 2, 4))
record(out, "rnn_relu", Layer(nn.RNN(3, 20, num_layers=2, nonlinearity="relu", bias=False, batch_first=True)), (2, 5, 3))
record(out, "rnn_unbatched", Layer(nn.RNN(3, 4, bidirectional=True)), (5, 3), (2, 4))
record(out, "lstm", Layer(nn.LSTM(3, 4)), (5, 2, 3), (2, 1, 2, 4))
record(out, "lstm_zero", Layer(nn.LSTM(3, 20)), (6, 2, 3))
record(out, "lstm_deep", Layer(nn.LSTM(3, 5, num_layers=2, batch_first=True, bidirectional=True)), (2, 6, 3), (2, 4, 2, 5))
record(out, "lstm_no_bias", Layer(nn.LSTM(3, 4, num_layers=2, bias=False)), (1, 2, 3), (2, 2, 2, 4))
record(out, "lstm_projected", Layer(nn.LSTM(3, 6, num_layers=2, proj_size=4, bidirectional=True)), (4, 2, 3))
record(out, "gru", Layer(nn.GRU(3, 4)), (5, 2, 3), (1, 2, 4))
record(out, "gru_deep", Layer(nn.GRU(3, 20, num_layers=2, batch_first=True, bidirectional=True)), (2, 6, 3), (4, 2, 20))
record(out, "gru_no_bias", Layer(nn.GRU(3, 4, bias=False)), (5, 3))
record(out, "rnn_cell", Cell(nn.RNNCell(3, 4)), (2, 3), (2, 4))
record(out, "rnn_cell_relu", Cell(nn.RNNCell(3, 4, nonlinearity="relu")), (2, 3))
record(out, "lstm_cell", Cell(nn.LSTMCell(3, 4)), (2, 3), (2, 2, 4))
record(out, "gru_cell", Cell(nn.GRUCell(3, 4, bias=False)), (3,), (4,))

record(out, "packed_rnn", Packed(nn.RNN(3, 4), 5, 2, 4), (5, 3, 3), (1, 3, 4))
record(out, "packed_rnn_first", Packed(nn.RNN(3, 4, num_layers=2, batch_first=True, bidirectional=True), 1, 4), (2, 4, 3))
record(out, "packed_lstm", Packed(nn.LSTM(3, 4), 2, 6, 3), (6, 3, 3), (2, 1, 3, 4))
record(out, "packed_lstm_deep", Packed(nn.LSTM(3, 5, num_layers=2, batch_first=True, bidirectional=True), 4, 1, 6), (3, 6, 3), (2, 4, 3, 5))
record(out, "packed_lstm_projected", Packed(nn.LSTM(3, 6, proj_size=4, bidirectional=True), 4, 3), (5, 2, 3))
record(out, "packed_gru", Packed(nn.GRU(3, 4, bidirectional=True), 3, 5, 2), (5, 3, 3), (2, 3, 4))
record(out, "packed_gru_deep", Packed(nn.GRU(3, 4, num_layers=2, batch_first=True), 5, 3), (2, 5, 3))

data = {key: value.detach().clone().contiguous() for key, value in out.items()}
save_file(data, folder / "recurrent.safetensors", {"format": "pt", "torch": torch.__version__})
