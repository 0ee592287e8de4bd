#pragma once
namespace weft::sweep { struct Differences {}; }
